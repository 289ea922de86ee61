# „Werte“
region = "eu-west-1"
towers = ["north", "søuth"]
