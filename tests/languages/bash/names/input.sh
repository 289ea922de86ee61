#!/usr/bin/env bash
# „Garten“ – 庭: water is not called in a comment.
source ./lib/tools.sh
. "$GARDEN/lib/"plants.sh --quiet
source more.sh dry

BEDS=3
readonly MAX_ROWS=12 LABEL
declare -A CROPS
export SEASON="$(season_of "$(date)")" YEAR
BEDS+=1
CROPS[roots]=carrots
[[ -n $BEDS ]] || BEDS=1
if is_summer; then
  HOSE=long
else
  HOSE=short
fi

garden::dig() {
  local depth=2
  RESULT=done
  readonly TOOL=spade
  for row in 1 2; do
    sow-row "$row" seeds | tee log.txt && water "$depth"
  done
  trap clean_up EXIT
}

TZ=UTC plant_all "not called()"
./scripts/weed.sh
/usr/bin/rake leaves
"$TOOL" grass
[ -f map ] && garden::dig
: "${BEDS:=2}"
cat <<EOF
fence $(height_of post) gate
EOF
trap 'stop now' INT
