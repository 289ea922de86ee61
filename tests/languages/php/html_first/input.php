<!DOCTYPE html>
<html>
<body class="function">
<h1><?= htmlspecialchars($title) ?></h1>
<p>class Not { function here() {} }</p>
<?php
/** Show one row. */
function row(array $cells): string
{
    ob_start(); ?>
    <tr><?php foreach ($cells as $cell): ?><td><?= $cell ?></td><?php endforeach; ?></tr>
    <?php
    return ob_get_clean();
}
?>
<table><?php class Table { public function rows() {} } ?></table>
