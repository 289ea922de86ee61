<p>Größe 🎉 – こんにちは</p>
<?php
namespace Größe\大;

use Größe\Maß;

// Höhe über dem Meer 🎉
$grüße = "ü🎉"; class Straße extends Weg { /** Länge – in Metern. */ public function länge(string $größe = "ß🎉", int $次): ?Maß { return null; } }
