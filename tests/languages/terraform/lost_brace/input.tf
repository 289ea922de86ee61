variable "before" {
  type = string
}

resource "aws_instance" "broken" {
  ami = [
}

resource "aws_instance" "unclosed" {
  root_block_device {
    size = 10
}

variable "after" {
  type = string
}

output "last" { value = 1 }
