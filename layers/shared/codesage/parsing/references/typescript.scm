; inherits: ecmascript
; Types wherever they are named, and what they hold.

(call_expression function: (non_null_expression (identifier) @reference.call))
(call_expression
  function: (non_null_expression (member_expression property: (property_identifier) @reference.call)))

(type_identifier) @reference.type
(type_query (identifier) @reference.type)
(type_query (member_expression property: (property_identifier) @reference.type))
(member_expression object: (call_expression function: (import)) property: (property_identifier) @reference.type)

(class_declaration name: (type_identifier) @name)
(class name: (type_identifier) @name)
(abstract_class_declaration name: (type_identifier) @name)
(interface_declaration name: (type_identifier) @name)
(type_alias_declaration name: (type_identifier) @name)
(type_parameter name: (type_identifier) @name)
(mapped_type_clause name: (type_identifier) @name)
(infer_type (type_identifier) @name)

(extends_clause value: (identifier) @reference.inherit)
(extends_clause value: (member_expression property: (property_identifier) @reference.inherit))
(implements_clause (type_identifier) @reference.inherit)
(implements_clause (nested_type_identifier name: (type_identifier) @reference.inherit))
(implements_clause (generic_type name: (type_identifier) @reference.inherit))
(implements_clause (generic_type name: (nested_type_identifier name: (type_identifier) @reference.inherit)))
(extends_type_clause type: (type_identifier) @reference.inherit)
(extends_type_clause type: (nested_type_identifier name: (type_identifier) @reference.inherit))
(extends_type_clause type: (generic_type name: (type_identifier) @reference.inherit))
(extends_type_clause
  type: (generic_type name: (nested_type_identifier name: (type_identifier) @reference.inherit)))

(import_require_clause source: (string) @reference.import)
(import_alias (nested_identifier property: (property_identifier) @reference.import))
(export_statement "=" (identifier) @reference.other)

(arguments (non_null_expression (identifier) @reference.other))
(arguments (as_expression . (identifier) @reference.other))

(public_field_definition name: [(property_identifier) (private_property_identifier)] @definition.field)
(required_parameter [(accessibility_modifier) "readonly"] pattern: (identifier) @definition.member)
(optional_parameter [(accessibility_modifier) "readonly"] pattern: (identifier) @definition.member)
(interface_body (property_signature name: (property_identifier) @definition.field))
(type_alias_declaration value: (object_type (property_signature name: (property_identifier) @definition.field)))
(enum_body name: (property_identifier) @definition.constant)
(enum_body name: (string (string_fragment) @definition.constant))
(enum_assignment name: (property_identifier) @definition.constant)
(enum_assignment name: (string (string_fragment) @definition.constant))
(ambient_declaration (_ (variable_declarator name: (identifier) @definition.constant)))
