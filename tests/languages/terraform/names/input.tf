# „Hafen“ – 港: var.unused in a comment is not used.
terraform {
  required_version = ">= 1.5"
}

provider "aws" {
  alias = "west"
}

locals {
  tags  = merge(var.tags, { Name = local.title, key = "var.text" })
  title = "é-${upper(var.region)}"
}

variable "region" {
  type = list(object({ name = string }))
}

module "quay" {
  source    = "./modules/quay"
  providers = { aws = aws.west }
  depth     = var.depth["low"].meters
}

module "crane" { source = "harbour/crane/aws" }
module "ship" { source = "git::https://example.com/ships.git//cargo/big?ref=v2" }
module "buoy" { source = "git@example.com:harbour/buoy.git" }

resource "aws_instance" "light" {
  provider = aws.west
  for_each = toset(var.towers)
  ami      = "${each.key}-${data.aws_ami.lamp.id}"
  peers    = aws_instance.radar[*].id
  quay     = module.quay.id
  names    = [for ship in local.ships : ship.name if ship.big]
  roles    = { for big_ship, role in var.roles : big_ship => role.arn }
  depends_on = [aws_iam_role.pilot, module.crane]

  dynamic "light_beam" {
    for_each = var.beams
    content {
      colour = light_beam.value.colour
      order  = light_beam.key
    }
  }
  lifecycle {
    ignore_changes       = [tags, ami]
    replace_triggered_by = [aws_kms_key.key.id]
  }
  user_data = <<-EOT
    ${file("${path.module}/start.sh")} var.no %{ if var.foggy }horn%{ endif }
  EOT
  owner = self.owner == terraform.workspace ? provider::aws::arn_parse(local.arn) : null
}

moved {
  from = aws_instance.lamp
  to   = aws_instance.light["north"]
}
