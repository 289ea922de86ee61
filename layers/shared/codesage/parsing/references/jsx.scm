; JSX: a component is called by its tag. A plain name may also be one of HTML, so the whole tag is looked at.

(jsx_opening_element name: (identifier)) @reference.call
(jsx_opening_element name: (member_expression property: (property_identifier) @reference.call))
(jsx_self_closing_element name: (identifier)) @reference.call
(jsx_self_closing_element name: (member_expression property: (property_identifier) @reference.call))

(jsx_attribute (jsx_expression (identifier) @reference.other))
(jsx_attribute (jsx_expression (member_expression property: (property_identifier) @reference.other)))
