; Swift: calls, types, attributes, parents, imports, and functions or cases that are handed over.
; What stands before a dot may be a type or a variable: which, says the table's `reference`.

; The grammar negates before it calls: `!open(day)`.
(call_expression . [
  (simple_identifier) @reference.call
  (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @reference.call))
  (prefix_expression target: [
    (simple_identifier) @reference.call
    (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @reference.call))])
  (tuple_expression value: [
    (simple_identifier) @reference.call
    (navigation_expression suffix: (navigation_suffix suffix: (simple_identifier) @reference.call))])])
(constructor_expression
  constructed_type: (user_type (type_identifier) @reference.call . (type_arguments)? .))
(macro_invocation . (simple_identifier) @reference.call)

(type_identifier) @reference.type
(navigation_expression target: (simple_identifier) @reference.type)
(call_expression . [
  (array_literal element: (simple_identifier) @reference.type)
  (dictionary_literal [key: (simple_identifier) @reference.type value: (simple_identifier) @reference.type])])

; To the grammar `Shelf<Loaf>.top` compares three values.
(comparison_expression
  lhs: (simple_identifier) @reference.type
  "<" rhs: (comparison_expression
    lhs: (simple_identifier) @reference.type
    ">" rhs: [(prefix_expression operation: ".") (call_expression . (prefix_expression operation: "."))]))

(class_declaration name: [
  (type_identifier) @name
  (user_type (type_identifier) @name . (type_arguments)? .)])
(protocol_declaration name: (type_identifier) @name)
(typealias_declaration name: (type_identifier) @name)
(associatedtype_declaration name: (type_identifier) @name)
(type_parameter . (type_identifier) @name)

(inheritance_specifier
  inherits_from: (user_type (type_identifier) @reference.inherit . (type_arguments)? .))

(import_declaration (identifier (simple_identifier) @reference.import .))

; A member, a case with or without its type, `State.open` and `.open`, and what is handed over by its bare name.
(navigation_suffix suffix: (simple_identifier) @reference.other)
(prefix_expression operation: "." target: (simple_identifier) @reference.other)
(pattern "." . (simple_identifier) @reference.other)
(if_statement "." . (simple_identifier) @reference.other)
(guard_statement "." . (simple_identifier) @reference.other)
(value_argument value: (simple_identifier) @reference.other)
(array_literal (simple_identifier) @reference.other)
(dictionary_literal value: (simple_identifier) @reference.other)
(selector_expression (simple_identifier) @reference.other)

; In a type a `static let` is a constant: whether it is one, says the table as well.
(source_file (property_declaration (pattern [
  bound_identifier: (simple_identifier) @definition.constant
  (pattern (simple_identifier) @definition.constant)])))
(class_body (property_declaration (pattern [
  bound_identifier: (simple_identifier) @definition.constant
  (pattern (simple_identifier) @definition.constant)])))
(enum_class_body (property_declaration (pattern
  bound_identifier: (simple_identifier) @definition.constant)))
(protocol_property_declaration (pattern bound_identifier: (simple_identifier) @definition.field))
(enum_entry (simple_identifier) @definition.constant)
