# Größe in Bytes – ohne Dateisystem.
größe() { stat -c %s "$1"; }

echo "日本語"; . "./ünï/lib.sh"; after() { :; }
# 🚀 los
start() {
  echo "🚀"
}
