# Ports of the services.
locals {
  port_01 = 8001
  port_02 = 8002
  port_03 = 8003
  port_04 = 8004
  port_05 = 8005
  port_06 = 8006
  port_07 = 8007
  port_08 = 8008
  port_09 = 8009
  port_10 = 8010
  port_11 = 8011
  port_12 = 8012
  port_13 = 8013
  port_14 = 8014
  port_15 = 8015
  port_16 = 8016
  port_17 = 8017
  port_18 = 8018
  port_19 = 8019
  port_20 = 8020
  port_21 = 8021
  port_22 = 8022
  port_23 = 8023
  port_24 = 8024
  port_25 = 8025
  port_26 = 8026
  port_27 = 8027
  port_28 = 8028
  port_29 = 8029
  port_30 = 8030
}

locals {
  one = 1
}
