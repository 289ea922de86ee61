; inherits: ecmascript, jsx

(class_heritage (identifier) @reference.inherit)
(class_heritage (member_expression property: (property_identifier) @reference.inherit))

(field_definition property: [(property_identifier) (private_property_identifier)] @definition.field)
