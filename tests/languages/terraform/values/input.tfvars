# Values have no blocks.
name  = "logs"
rules = [{ prefix = "a/" }]
