; Python, for files that `ast` refuses: what `python_names` finds in the others, but for types in quotes, the
; attributes that `__init__` sets, and which names of a class are constants.

(call function: [
  (identifier) @reference.call
  (attribute attribute: (identifier) @reference.call)
  (parenthesized_expression (identifier) @reference.call)])
(decorator [
  (identifier) @reference.call
  (attribute attribute: (identifier) @reference.call)])

(type [
  (identifier) @reference.type
  (attribute attribute: (identifier) @reference.type)
  (subscript [
    (identifier) @reference.type
    (attribute attribute: (identifier) @reference.type)
    (subscript [
      (identifier) @reference.type
      (attribute attribute: (identifier) @reference.type)])])
  (list [
    (identifier) @reference.type
    (attribute attribute: (identifier) @reference.type)
    (subscript [
      (identifier) @reference.type
      (attribute attribute: (identifier) @reference.type)])])
  (parenthesized_expression (identifier) @reference.type)
  (binary_operator [
    (identifier) @reference.type
    (attribute attribute: (identifier) @reference.type)
    (subscript [
      (identifier) @reference.type
      (attribute attribute: (identifier) @reference.type)])
    (binary_operator [
      (identifier) @reference.type
      (attribute attribute: (identifier) @reference.type)
      (subscript [
        (identifier) @reference.type
        (attribute attribute: (identifier) @reference.type)])
      (binary_operator [
        (identifier) @reference.type
        (attribute attribute: (identifier) @reference.type)
        (subscript [
          (identifier) @reference.type
          (attribute attribute: (identifier) @reference.type)])])])])])
(generic_type (identifier) @reference.type)
(class_pattern (dotted_name (identifier) @reference.type .))
(except_clause value: [
  (identifier) @reference.type
  (attribute attribute: (identifier) @reference.type)
  (tuple [
    (identifier) @reference.type
    (attribute attribute: (identifier) @reference.type)])
  (as_pattern [
    (identifier) @reference.type
    (attribute attribute: (identifier) @reference.type)
    (tuple [
      (identifier) @reference.type
      (attribute attribute: (identifier) @reference.type)])])])

(type_alias_statement left: (type [(identifier) @name (generic_type (identifier) @name)]))
(class_definition type_parameters: (type_parameter (type (identifier) @name)))
(function_definition type_parameters: (type_parameter (type (identifier) @name)))
(constrained_type . (type (identifier) @name))

(import_statement name: [
  (dotted_name (identifier) @reference.import .)
  (aliased_import name: (dotted_name (identifier) @reference.import .))])
(import_from_statement name: [
  (dotted_name (identifier) @reference.import .)
  (aliased_import name: (dotted_name (identifier) @reference.import .))])
(future_import_statement name: [
  (dotted_name (identifier) @reference.import .)
  (aliased_import name: (dotted_name (identifier) @reference.import .))])

(class_definition superclasses: (argument_list [
  (identifier) @reference.inherit
  (attribute attribute: (identifier) @reference.inherit)
  (subscript value: [
    (identifier) @reference.inherit
    (attribute attribute: (identifier) @reference.inherit)])
  (subscript subscript: [
    (identifier) @reference.type
    (attribute attribute: (identifier) @reference.type)
    (subscript [
      (identifier) @reference.type
      (attribute attribute: (identifier) @reference.type)])
    (binary_operator [
      (identifier) @reference.type
      (attribute attribute: (identifier) @reference.type)])])]))

(call arguments: (argument_list [
  (identifier) @reference.other
  (parenthesized_expression (identifier) @reference.other)
  (attribute attribute: (identifier) @reference.other)
  (tuple [
    (identifier) @reference.other
    (attribute attribute: (identifier) @reference.other)])]))
(pair value: [
  (identifier) @reference.other
  (attribute attribute: (identifier) @reference.other)])
(keyword_argument value: [
  (identifier) @reference.other
  (attribute attribute: (identifier) @reference.other)])

(assignment left: [
  (identifier) @definition.constant
  (pattern_list (identifier) @definition.constant)
  (tuple_pattern (identifier) @definition.constant)
  (list_pattern (identifier) @definition.constant)])
(class_definition body: (block (assignment left: [
  (identifier) @definition.field
  (pattern_list (identifier) @definition.field)
  (tuple_pattern (identifier) @definition.field)])))
(class_definition body: (block (if_statement (block (assignment left: (identifier) @definition.field)))))
(class_definition body: (block (assignment right: (assignment left: (identifier) @definition.field))))
