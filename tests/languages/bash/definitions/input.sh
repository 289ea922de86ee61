#!/usr/bin/env bash
set -euo pipefail

source ./lib/log.sh
. "$HOME/.config/deploy.env"
source "${ROOT}"/lib/net.sh --quiet
. local.sh
[ -s "$NVM_DIR/nvm.sh" ] && \. "$NVM_DIR/nvm.sh"  # loads nvm

# Deploy one service.
#
# $1: its name.
deploy() {
  local name="$1"
  build "$name"
}

#######################################
# Go back to the release before.
# Globals:
#   RELEASES
#######################################
function rollback {
  deploy "$1"
}

# shellcheck disable=SC2034
function both_forms() {
  unused=1
}

# Not about the next one.

main() { deploy "$@"; }

main "$@"
