; Scala: calls, types, annotations, parents, imports, and functions or values that are handed over.
; What stands before a dot may be a type, an object, a value or a package: which, says the table's `reference`.

(call_expression function: [
  (identifier) @reference.call
  (field_expression field: (identifier) @reference.call)
  (generic_function function: [
    (identifier) @reference.call
    (field_expression field: (identifier) @reference.call)])
  (parenthesized_expression [
    (identifier) @reference.call
    (field_expression field: (identifier) @reference.call)])])
(generic_function function: [
  (identifier) @reference.call
  (field_expression field: (identifier) @reference.call)])
(infix_expression operator: (identifier) @reference.call)
(interpolated_string_expression interpolator: (identifier) @reference.call)
(instance_expression . [
  (type_identifier) @reference.call
  (stable_type_identifier (type_identifier) @reference.call .)
  (generic_type type: [
    (type_identifier) @reference.call
    (stable_type_identifier (type_identifier) @reference.call .)])])

(type_identifier) @reference.type
(infix_type operator: (identifier) @reference.type)
(stable_type_identifier (identifier) @reference.type)
(stable_identifier . (identifier) @reference.type)
(field_expression value: (identifier) @reference.type)
(type_definition name: (type_identifier) @name)

; Without the field: of several children in one a pattern sees the first only.
(extends_clause (tuple_type (infix_type operator: (identifier) @reference.inherit)))
(extends_clause [
  (type_identifier) @reference.inherit
  (stable_type_identifier (type_identifier) @reference.inherit .)
  (generic_type type: [
    (type_identifier) @reference.inherit
    (stable_type_identifier (type_identifier) @reference.inherit .)])])
(given_definition return_type: [
  (type_identifier) @reference.inherit
  (stable_type_identifier (type_identifier) @reference.inherit .)
  (generic_type type: [
    (type_identifier) @reference.inherit
    (stable_type_identifier (type_identifier) @reference.inherit .)])]
  body: (with_template_body))

(import_declaration [
  (identifier) @reference.import
  (as_renamed_identifier name: (identifier) @reference.import)])
(export_declaration (identifier) @reference.import)
(namespace_selectors [
  (identifier) @reference.import
  (arrow_renamed_identifier name: (identifier) @reference.import)
  (as_renamed_identifier name: (identifier) @reference.import)])

; A member, be it called or handed over, and what is handed over by its bare name.
(field_expression field: (identifier) @reference.other)
(arguments [
  (identifier) @reference.other
  (assignment_expression right: (identifier) @reference.other)])
(method_value (identifier) @reference.other)
(infix_expression right: (identifier) @reference.other)
(stable_identifier (identifier) @reference.other .)
(case_clause pattern: (identifier) @reference.other)
(alternative_pattern (identifier) @reference.other)

(compilation_unit (_ pattern: [
  (identifier) @definition.constant
  (identifiers (identifier) @definition.constant)
  (tuple_pattern (identifier) @definition.constant)]))
(object_definition body: (template_body (_ pattern: [
  (identifier) @definition.constant
  (identifiers (identifier) @definition.constant)
  (tuple_pattern (identifier) @definition.constant)])))
(package_object body: (template_body (_ pattern: [
  (identifier) @definition.constant
  (identifiers (identifier) @definition.constant)])))
(class_definition body: (template_body (_ pattern: [
  (identifier) @definition.field
  (identifiers (identifier) @definition.field)
  (tuple_pattern (identifier) @definition.field)])))
(trait_definition body: (template_body (_ pattern: [
  (identifier) @definition.field
  (identifiers (identifier) @definition.field)])))
(template_body (val_declaration name: (identifier) @definition.field))
(template_body (var_declaration name: (identifier) @definition.field))
(class_definition "case" class_parameters: (class_parameters (class_parameter name: (identifier) @definition.field)))
(class_parameter ["val" "var"] name: (identifier) @definition.field)
(simple_enum_case name: (identifier) @definition.constant)
(full_enum_case name: (identifier) @definition.constant)
