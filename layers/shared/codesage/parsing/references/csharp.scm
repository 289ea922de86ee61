; C#: calls, types, attributes, base types, what `using` brings in, and methods that are handed over.
; The grammar has no node of its own for the name of a type: where one stands, says the field.

(invocation_expression function: [
  (identifier) @reference.call
  (generic_name . (identifier) @reference.call)
  (member_access_expression name: (identifier) @reference.call)
  (member_access_expression name: (generic_name . (identifier) @reference.call))
  (conditional_access_expression (member_binding_expression name: [
    (identifier) @reference.call
    (generic_name . (identifier) @reference.call)]) .)
  (parenthesized_expression (identifier) @reference.call)])
(object_creation_expression type: [
  (identifier) @reference.call
  (generic_name . (identifier) @reference.call)
  (qualified_name name: (identifier) @reference.call)
  (qualified_name name: (generic_name . (identifier) @reference.call))
  (alias_qualified_name name: (identifier) @reference.call)])

(_ type: (identifier) @reference.type)
(_ type: (qualified_name name: (identifier) @reference.type))
(_ type: (alias_qualified_name name: (identifier) @reference.type))
(_ returns: (identifier) @reference.type)
(_ returns: (qualified_name name: (identifier) @reference.type))
(generic_name . (identifier) @reference.type)
(type_argument_list (identifier) @reference.type)
(type_argument_list (qualified_name name: (identifier) @reference.type))
(as_expression right: (identifier) @reference.type)
(as_expression right: (qualified_name name: (identifier) @reference.type))
(is_pattern_expression pattern: (constant_pattern [
  (identifier) @reference.type
  (member_access_expression name: (identifier) @reference.type)]))
(negated_pattern (constant_pattern [
  (identifier) @reference.type
  (member_access_expression name: (identifier) @reference.type)]))
(explicit_interface_specifier (identifier) @reference.type)
(attribute name: (identifier) @reference.type)
(attribute name: (qualified_name name: (identifier) @reference.type))

(base_list [
  (identifier) @reference.inherit
  (generic_name . (identifier) @reference.inherit)
  (qualified_name name: (identifier) @reference.inherit)
  (qualified_name name: (generic_name . (identifier) @reference.inherit))
  (alias_qualified_name name: (identifier) @reference.inherit)])
(primary_constructor_base_type type: [
  (identifier) @reference.inherit
  (generic_name . (identifier) @reference.inherit)
  (qualified_name name: (identifier) @reference.inherit)
  (qualified_name name: (generic_name . (identifier) @reference.inherit))
  (alias_qualified_name name: (identifier) @reference.inherit)])

(using_directive (identifier) @reference.import .)
(using_directive (qualified_name name: (identifier) @reference.import))
(using_directive (qualified_name name: (generic_name . (identifier) @reference.import)))

; A method handed over by its name, also to an event.
(argument (identifier) @reference.other .)
(argument (member_access_expression name: (identifier) @reference.other) .)
(attribute_argument (member_access_expression name: (identifier) @reference.other) .)
(initializer_expression (identifier) @reference.other)
(initializer_expression (member_access_expression name: (identifier) @reference.other))
(initializer_expression (assignment_expression right: (identifier) @reference.other))
(expression_element (identifier) @reference.other)
(expression_element (member_access_expression name: (identifier) @reference.other))
(assignment_expression ["+=" "-="] right: (identifier) @reference.other)
(assignment_expression ["+=" "-="] right: (member_access_expression name: (identifier) @reference.other))

; What a `case` compares with: `Status.Open`.
(constant_pattern (identifier) @reference.other)
(constant_pattern (member_access_expression name: (identifier) @reference.other))

; Of these the table's `constant` tells which are `const`.
(field_declaration (variable_declaration (variable_declarator name: (identifier) @definition.constant)))
(enum_member_declaration name: (identifier) @definition.constant)
(property_declaration name: (identifier) @definition.field)
(record_declaration (parameter_list (parameter name: (identifier) @definition.field)))
