pkg::install-all () (
  cd "$1" || exit
  make install
)

if command -v gsed >/dev/null; then
  # Edit in place, also on a Mac.
  sed_in_place() { gsed -i "$@"; }
else
  sed_in_place() {
    sed -i '' "$@"
  }
fi

outer() {
  inner() { echo "inner of $1"; }
  source "./plugins/$1.sh"
  inner "$1"
}

is_root() [[ $EUID -eq 0 ]]

log() {
  echo "$*"
} >&2 2>/dev/null

usage() {
  cat <<EOF
fake() { is in a text; }
source not/this
EOF
}

source <(kubectl completion bash)
eval "hidden() { :; }"
echo source none.sh
alias ll='ls -l'
