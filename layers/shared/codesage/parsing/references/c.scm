; C: calls of functions and macros, types, includes, and functions that are handed over or stored.
; C++ takes all of this in.

(call_expression function: (identifier) @reference.call)
(call_expression function: (field_expression field: (field_identifier) @reference.call))
(call_expression function: (parenthesized_expression (pointer_expression argument: [
  (identifier) @reference.call
  (field_expression field: (field_identifier) @reference.call)])))

; `(size)(a + b)` converts far more often than it calls; the grammar cannot tell.
(call_expression function: (parenthesized_expression (identifier) @reference.type))

(type_identifier) @reference.type
(struct_specifier name: (type_identifier) @name body: (_))
(union_specifier name: (type_identifier) @name body: (_))
(enum_specifier name: (type_identifier) @name body: (_))

; What a typedef names: `node`, `*node_ptr`, `row[3]`, `(*each_fn)(int)`.
(type_definition declarator: (type_identifier) @name)
(pointer_declarator declarator: (type_identifier) @name)
(array_declarator declarator: (type_identifier) @name)
(function_declarator declarator: (type_identifier) @name)
(parenthesized_declarator (type_identifier) @name)

(preproc_include path: [(string_literal) (system_lib_string) (identifier)] @reference.import)

; A function handed over by its name, or stored: `{"get", on_get}`, `.read = &on_read`, `job->run = on_run`.
(argument_list [
  (identifier) @reference.other
  (field_expression field: (field_identifier) @reference.other)
  (pointer_expression operator: "&" argument: (identifier) @reference.other)
  (cast_expression value: (identifier) @reference.other)])
(initializer_list [
  (identifier) @reference.other
  (field_expression field: (field_identifier) @reference.other)
  (pointer_expression operator: "&" argument: (identifier) @reference.other)
  (cast_expression value: (identifier) @reference.other)])
(initializer_pair value: [
  (identifier) @reference.other
  (field_expression field: (field_identifier) @reference.other)
  (pointer_expression operator: "&" argument: (identifier) @reference.other)
  (cast_expression value: (identifier) @reference.other)])
(assignment_expression left: (field_expression) right: (identifier) @reference.other)

; Whether a type or a variable is measured, the grammar cannot know.
(sizeof_expression value: (parenthesized_expression (identifier) @reference.other))

; The words of `__attribute__((packed, format(printf, 1, 2)))` are the compiler's.
(attribute_specifier (argument_list (identifier) @name))
(attribute_specifier (argument_list (call_expression function: (identifier) @name)))

(preproc_def name: (identifier) @definition.constant value: (_))
(enumerator name: (identifier) @definition.constant)
(field_declaration declarator: (_) @definition.field)

; The variables of a file, whatever their declarator: the table's `symbol` finds the name in it.
(translation_unit (declaration declarator: (_) @definition.constant))
(preproc_if (declaration declarator: (_) @definition.constant))
(preproc_ifdef (declaration declarator: (_) @definition.constant))
(preproc_elif (declaration declarator: (_) @definition.constant))
(preproc_else (declaration declarator: (_) @definition.constant))
(declaration_list (declaration declarator: (_) @definition.constant))
