; Go: calls, conversions by a named type, types, embedded types, imported packages, functions handed over.
; `Parse[int](text)` looks like a conversion, and `Parse[int]()` like the call of an element.

(call_expression function: [
  (identifier) @reference.call
  (selector_expression field: (field_identifier) @reference.call)
  (index_expression operand: [
    (identifier) @reference.call
    (selector_expression field: (field_identifier) @reference.call)])
  (type_instantiation_expression type: [
    (type_identifier) @reference.call
    (qualified_type name: (type_identifier) @reference.call)])
  (parenthesized_expression [
    (identifier) @reference.call
    (selector_expression field: (field_identifier) @reference.call)
    (unary_expression operand: [
      (identifier) @reference.call
      (selector_expression field: (field_identifier) @reference.call)])])])
(type_conversion_expression type: (generic_type type: [
  (type_identifier) @reference.call
  (qualified_type name: (type_identifier) @reference.call)]))

(type_identifier) @reference.type
(type_spec name: (type_identifier) @name)
(type_alias name: (type_identifier) @name)
(method_declaration receiver: (parameter_list (parameter_declaration type: [
  (type_identifier) @name
  (generic_type type: (type_identifier) @name)
  (pointer_type [
    (type_identifier) @name
    (generic_type type: (type_identifier) @name)])])))

; Embedded in a struct or an interface. `~int | Text` only constrains.
(field_declaration !name type: [
  (type_identifier) @reference.inherit
  (qualified_type name: (type_identifier) @reference.inherit)
  (generic_type type: [
    (type_identifier) @reference.inherit
    (qualified_type name: (type_identifier) @reference.inherit)])])
(interface_type (type_elem . [
  (type_identifier) @reference.inherit
  (qualified_type name: (type_identifier) @reference.inherit)
  (generic_type type: [
    (type_identifier) @reference.inherit
    (qualified_type name: (type_identifier) @reference.inherit)])] .))

(import_spec path: (_) @reference.import)

; A function handed over by its name, in a call or in a literal.
(argument_list [
  (identifier) @reference.other
  (selector_expression field: (field_identifier) @reference.other)])
(literal_value (literal_element [
  (identifier) @reference.other
  (selector_expression field: (field_identifier) @reference.other)]))
(keyed_element value: (literal_element [
  (identifier) @reference.other
  (selector_expression field: (field_identifier) @reference.other)]))

; Without the field: of several names in one a pattern sees the first only.
(source_file (const_declaration (const_spec (identifier) @definition.constant)))
(source_file (var_declaration [
  (var_spec name: (identifier) @definition.constant)
  (var_spec_list (var_spec name: (identifier) @definition.constant))]))
(field_declaration name: (field_identifier) @definition.field)
