resource "aws_iam_policy" "read" {
  policy = <<-EOT
    { "unclosed quote: "
      FAKE_EOT
      resource "in" "text" {
      ${join(",", [
        for a in var.arns : "\"${a}\""
      ])}
      %{ if var.strict }"Deny"%{ else }"Allow"%{ endif }
      line \
      continued
    EOT2
  EOT
}

resource "aws_sqs_queue" "jobs" {
  policy = jsonencode({
    Statement = [{
      Note = <<EOT
variable "inside" {
EOT
      Effect = "Allow"
    }]
  })
  name = "jobs-${var.name}-}"
}

output "script" {
  value = <<E2
$${not_interpolated}
E2
}

variable "after" {}
