; Terraform: functions, and the blocks that an expression names by their address, `var.region`.
; Which block that is, and which attributes are a module's source, the table's `reference` knows.

(function_call (identifier) @reference.call)

(variable_expr) @reference.other

; A file of values sets variables.
(config_file (body (attribute . (identifier) @reference.other)))

; `source` of a module, a block with one label.
(config_file
  (body (block . (identifier) . (string_lit) . (block_start)
    (body (attribute (expression . (literal_value (string_lit) @reference.import)))))))

; The keys of `locals`, a block without a label.
(config_file
  (body (block . (identifier) . (block_start) (body (attribute . (identifier) @definition.constant)))))
