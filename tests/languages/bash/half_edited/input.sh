first() {
  echo "one"
}

second() {
  if [ -n "$1" ; then
    echo "two"
  fi
}

for f in *; do
  if() { echo "$f"
done

third() {
  echo "three"
}
