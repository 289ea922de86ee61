; inherits: c
; C++: what C lacks: qualified names, templates, methods, constructors, base classes. Of a qualified name the
; last part is captured, under up to three others.

(call_expression function: [
  (template_function name: (identifier) @reference.call)
  (qualified_identifier name: [
    (identifier) @reference.call
    (template_function name: (identifier) @reference.call)
    (qualified_identifier name: [
      (identifier) @reference.call
      (template_function name: (identifier) @reference.call)
      (qualified_identifier name: [
        (identifier) @reference.call
        (template_function name: (identifier) @reference.call)])])])])
(call_expression function: (qualified_identifier
  name: (dependent_name (template_function name: (identifier) @reference.call))))
(call_expression function: (field_expression field: [
  (template_method name: (field_identifier) @reference.call)
  (dependent_name (template_method name: (field_identifier) @reference.call))
  (qualified_identifier name: (field_identifier) @reference.call)]))

; Constructors: `new Shape(1)`, `geo::Shape{1}`.
(new_expression type: [
  (type_identifier) @reference.call
  (template_type name: (type_identifier) @reference.call)
  (qualified_identifier name: [
    (type_identifier) @reference.call
    (template_type name: (type_identifier) @reference.call)
    (qualified_identifier name: [
      (type_identifier) @reference.call
      (template_type name: (type_identifier) @reference.call)
      (qualified_identifier name: [
        (type_identifier) @reference.call
        (template_type name: (type_identifier) @reference.call)])])])])
(compound_literal_expression type: [
  (type_identifier) @reference.call
  (template_type name: (type_identifier) @reference.call)
  (qualified_identifier name: [
    (type_identifier) @reference.call
    (template_type name: (type_identifier) @reference.call)
    (qualified_identifier name: [
      (type_identifier) @reference.call
      (template_type name: (type_identifier) @reference.call)
      (qualified_identifier name: [
        (type_identifier) @reference.call
        (template_type name: (type_identifier) @reference.call)])])])])

(base_class_clause [
  (type_identifier) @reference.inherit
  (template_type name: (type_identifier) @reference.inherit)
  (qualified_identifier name: [
    (type_identifier) @reference.inherit
    (template_type name: (type_identifier) @reference.inherit)
    (qualified_identifier name: [
      (type_identifier) @reference.inherit
      (template_type name: (type_identifier) @reference.inherit)
      (qualified_identifier name: [
        (type_identifier) @reference.inherit
        (template_type name: (type_identifier) @reference.inherit)])])])])

; Names of types that are defined here, or specialised.
(class_specifier name: (type_identifier) @name body: (_))
(class_specifier name: (template_type name: (type_identifier) @name) body: (_))
(class_specifier name: (qualified_identifier name: (type_identifier) @name) body: (_))
(struct_specifier name: (template_type name: (type_identifier) @name) body: (_))
(struct_specifier name: (qualified_identifier name: [
  (type_identifier) @name
  (template_type name: (type_identifier) @name)]) body: (_))
(alias_declaration name: (type_identifier) @name)
(type_parameter_declaration (type_identifier) @name)
(optional_type_parameter_declaration name: (type_identifier) @name)
(variadic_type_parameter_declaration (type_identifier) @name)

(using_declaration [
  (identifier) @reference.import
  (qualified_identifier name: [
    (identifier) @reference.import
    (qualified_identifier name: [
      (identifier) @reference.import
      (qualified_identifier name: [
        (identifier) @reference.import])])])])

; What is qualified lives elsewhere, handed over or not: `Kind::kRound`. Not so what is defined under it.
(qualified_identifier name: (identifier) @reference.other)
(qualified_identifier name: (template_function name: (identifier) @reference.other))
(argument_list (template_function name: (identifier) @reference.other))
(function_declarator declarator: (qualified_identifier name: [
  (identifier) @name
  (qualified_identifier name: [
    (identifier) @name
    (qualified_identifier name: (identifier) @name)])]))
(declaration declarator: (qualified_identifier name: (identifier) @name))
(init_declarator declarator: (qualified_identifier name: (identifier) @name))
(array_declarator declarator: (qualified_identifier name: (identifier) @name))
(pointer_declarator declarator: (qualified_identifier name: (identifier) @name))
(reference_declarator (qualified_identifier name: (identifier) @name))

; In a body `Lock lock(mutex)` makes a variable, though the grammar reads the prototype of a function.
(compound_statement (declaration declarator: (function_declarator parameters: (parameter_list
  (parameter_declaration type: (type_identifier) @reference.argument !declarator)))))

(template_declaration (declaration declarator: (_) @definition.constant))
