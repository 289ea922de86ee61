; Kotlin: calls, types, annotations, parents, imports, and functions or constants that are handed over.
; What stands before a dot may be a type, a variable or a package: which, says the table's `reference`.

; The grammar negates before it calls: `!open(day)`.
(call_expression . [
  (identifier) @reference.call
  (navigation_expression (_) (identifier) @reference.call .)
  (parenthesized_expression [
    (identifier) @reference.call
    (navigation_expression (_) (identifier) @reference.call .)])
  (unary_expression argument: (identifier) @reference.call)])
(infix_expression (_) . (identifier) @reference.call . (_))

; To the grammar `make<Loaf>(1)` compares three values.
(binary_expression
  left: (binary_expression
    left: [
      (identifier) @reference.call
      (navigation_expression (_) (identifier) @reference.call .)]
    "<" right: (identifier) @reference.type)
  ">" right: [(parenthesized_expression) (lambda_literal)])

(user_type (identifier) @reference.type)
(navigation_expression . [
  (identifier) @reference.type
  (unary_expression argument: (identifier) @reference.type)])

(delegation_specifier [
  (user_type (identifier) @reference.inherit . (type_arguments)? .)
  (constructor_invocation . (user_type (identifier) @reference.inherit . (type_arguments)? .))
  (explicit_delegation . (user_type (identifier) @reference.inherit . (type_arguments)? .))])

(import (qualified_identifier (identifier) @reference.import))

; A member, and what is handed over by its bare name. To the grammar the argument of an annotation may be an
; expression that is annotated.
(navigation_expression (_) (identifier) @reference.other .)
(callable_reference (identifier) @reference.other .)
(value_argument (identifier) @reference.other .)
(infix_expression (_) . (_) . (identifier) @reference.other)
(when_entry condition: (identifier) @reference.other)
(annotated_expression (annotation) (parenthesized_expression (identifier) @reference.other))

; In a type only what is `const` is a constant: whether it is, says the table as well.
(source_file (property_declaration [
  (variable_declaration . (identifier) @definition.constant)
  (multi_variable_declaration (variable_declaration . (identifier) @definition.constant))]))
(class_body (property_declaration (variable_declaration . (identifier) @definition.constant)))
(enum_class_body (property_declaration (variable_declaration . (identifier) @definition.constant)))
(enum_entry (identifier) @definition.constant)
(class_parameter ["val" "var"] . (identifier) @definition.field)
