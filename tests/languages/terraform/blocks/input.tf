# Where the state is.
terraform {
  required_version = ">= 1.5"

  backend "s3" {
    bucket = "state"
  }
}

provider "aws" {
  region = "eu-west-1"
  alias  = "west"
}

/*
 * Bucket for the logs.
 */
resource "aws_s3_bucket" "logs" {
  bucket = var.name
  tags   = local.tags

  lifecycle { prevent_destroy = true }

  dynamic "rule" {
    for_each = var.rules
    content {
      dynamic "filter" {
        for_each = rule.value.filters
        content { prefix = filter.value }
      }
    }
  }
}

data "aws_caller_identity" "me" {}

variable "name" {
  type        = string
  description = "Name of the \"logs\" bucket.\nGlobally unique."
  validation {
    condition     = length(var.name) > 3
    error_message = "Too short."
  }
}

variable "rules" {
  description = <<-EOT

    Rules of the bucket.
    One per prefix.
  EOT
  default     = []
}

// Address of the bucket.
output "arn" {
  description = "Not shown: the comment is nearer."
  value       = aws_s3_bucket.logs.arn
}

output "id" {
  description = local.text
  value       = aws_s3_bucket.logs.id
}

#tfsec:ignore:aws-ec2-no-public-ip
# checkov:skip=CKV_AWS_1: public on purpose
module "vpc" { source = "./modules/vpc" }

locals { tags = { team = "core" } }

moved {
  from = aws_s3_bucket.log
  to   = aws_s3_bucket.logs
}

check "health" {
  data "http" "home" { url = "https://example.com" }
}
