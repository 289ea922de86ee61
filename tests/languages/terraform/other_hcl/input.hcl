source "amazon-ebs" "ubuntu" {
  ami_name = "base"
}

build {
  sources = ["source.amazon-ebs.ubuntu"]
}

job web {
  group "api" { count = 2 }
}

include "root" {
  path = find_in_parent_folders()
}

inputs = {
  region = "eu-west-1"
}
