; Java: calls, types, annotations, parents, imports, and methods or constants that are handed over.
; What stands before a dot may be a type, a variable or a package: which, says the table's `reference`.

(method_invocation name: (identifier) @reference.call)
(object_creation_expression type: [
  (type_identifier) @reference.call
  (scoped_type_identifier (type_identifier) @reference.call .)
  (generic_type [
    (type_identifier) @reference.call
    (scoped_type_identifier (type_identifier) @reference.call .)])])

(type_identifier) @reference.type
(method_invocation object: (identifier) @reference.type)
(field_access object: (identifier) @reference.type)
(method_reference . [
  (identifier) @reference.type
  (field_access field: (identifier) @reference.type)])
(record_pattern . (identifier) @reference.type)
(annotation name: [
  (identifier) @reference.type
  (scoped_identifier name: (identifier) @reference.type)])
(marker_annotation name: [
  (identifier) @reference.type
  (scoped_identifier name: (identifier) @reference.type)])
(type_parameter (type_identifier) @name)

(superclass [
  (type_identifier) @reference.inherit
  (scoped_type_identifier (type_identifier) @reference.inherit .)
  (generic_type [
    (type_identifier) @reference.inherit
    (scoped_type_identifier (type_identifier) @reference.inherit .)])])
(super_interfaces (type_list [
  (type_identifier) @reference.inherit
  (scoped_type_identifier (type_identifier) @reference.inherit .)
  (generic_type [
    (type_identifier) @reference.inherit
    (scoped_type_identifier (type_identifier) @reference.inherit .)])]))
(extends_interfaces (type_list [
  (type_identifier) @reference.inherit
  (scoped_type_identifier (type_identifier) @reference.inherit .)
  (generic_type [
    (type_identifier) @reference.inherit
    (scoped_type_identifier (type_identifier) @reference.inherit .)])]))

(import_declaration [
  (identifier) @reference.import
  (scoped_identifier
    scope: [(identifier) @reference.import (scoped_identifier name: (identifier) @reference.import)]
    name: (identifier) @reference.import)])

; Handed over by its name, or by that of its type: `this::print`, `Status.OPEN`.
(method_reference (_) (identifier) @reference.other .)
(argument_list (identifier) @reference.other)
(array_initializer (identifier) @reference.other)
(element_value_array_initializer (identifier) @reference.other)
(annotation_argument_list (identifier) @reference.other)
(element_value_pair value: (identifier) @reference.other)
(switch_label (identifier) @reference.other)
(field_access object: (identifier) field: (identifier) @reference.other)
(field_access object: (field_access) field: (identifier) @reference.other)
(argument_list (field_access field: (identifier) @reference.other))

; A field is a constant if it is `static` and `final`: whether it is, says the table as well.
(field_declaration declarator: (variable_declarator name: (identifier) @definition.constant))
(constant_declaration declarator: (variable_declarator name: (identifier) @definition.constant))
(enum_constant name: (identifier) @definition.constant)
(record_declaration
  parameters: (formal_parameters (formal_parameter name: (identifier) @definition.field)))
