; Go: calls, conversions by a named type, types and imported packages.

(call_expression function: (identifier) @reference.call)
(call_expression function: (selector_expression field: (field_identifier) @reference.call))
(call_expression function: (parenthesized_expression (selector_expression field: (field_identifier) @reference.call)))
(call_expression function: (type_instantiation_expression type: (type_identifier) @reference.call))

(type_identifier) @reference.type
(type_spec name: (type_identifier) @name)
(type_alias name: (type_identifier) @name)

; An embedded struct or interface.
(field_declaration !name type: (type_identifier) @reference.inherit)
(field_declaration !name type: (qualified_type name: (type_identifier) @reference.inherit))
(field_declaration !name type: (generic_type type: (type_identifier) @reference.inherit))
(interface_type (type_elem . (type_identifier) @reference.inherit .))
(interface_type (type_elem . (qualified_type name: (type_identifier) @reference.inherit) .))

(import_spec path: (interpreted_string_literal) @reference.import)

; A function handed over by its name.
(argument_list (identifier) @reference.other)
(argument_list (selector_expression field: (field_identifier) @reference.other))
(keyed_element (literal_element (identifier) @reference.other) .)

(const_spec name: (identifier) @definition.constant)
(var_spec name: (identifier) @definition.constant)
(field_declaration name: (field_identifier) @definition.field)
