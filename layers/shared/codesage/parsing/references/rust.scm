; Rust: calls, macros, types, traits that are implemented, what `use` brings in, functions that are handed over.
; A path's first parts may be types, `Cart::new`, or modules, `fs::read`: which, says the table's `reference`.

(call_expression function: [
  (identifier) @reference.call
  (scoped_identifier name: (identifier) @reference.call)
  (field_expression field: (field_identifier) @reference.call)
  (generic_function function: [
    (identifier) @reference.call
    (scoped_identifier name: (identifier) @reference.call)
    (field_expression field: (field_identifier) @reference.call)])
  (parenthesized_expression [
    (identifier) @reference.call
    (scoped_identifier name: (identifier) @reference.call)
    (field_expression field: (field_identifier) @reference.call)])])
(macro_invocation macro: [
  (identifier) @reference.call
  (scoped_identifier name: (identifier) @reference.call)])
(attribute [
  (identifier) @reference.call
  (scoped_identifier name: (identifier) @reference.call)])

; `derive(Debug, serde::Serialize)`. In other attributes stand settings, `cfg(any(test, unix))`, which the table
; tells by their small letters.
(attribute arguments: (token_tree (identifier) @reference.type))
(attribute arguments: (token_tree (identifier) @name . (token_tree)))
(attribute arguments: (token_tree (token_tree (identifier) @name . (token_tree))))

; What is handed to a macro has no structure but its brackets. An anchor passes over operators, `first == (second)`:
; whether there is one, says the table as well.
(token_tree (identifier) @reference.call . (token_tree . "("))
(token_tree (identifier) @reference.call . "!" . (token_tree))
(token_tree (identifier) @reference.call . "::" . "<")
(token_tree (identifier) @name . "::" . "<" . (_) . ">" . "::")
(token_tree (identifier) @reference.type . "::" . (identifier))
(token_tree "::" . "<" . (identifier) @reference.type)
(token_tree "::" . (identifier) @reference.other)

(type_identifier) @reference.type
(scoped_identifier path: [
  (identifier) @reference.type
  (scoped_identifier name: (identifier) @reference.type)
  (generic_type type: (scoped_identifier name: (identifier) @reference.type))])
(scoped_type_identifier path: [
  (identifier) @reference.type
  (scoped_identifier name: (identifier) @reference.type)])
(tuple_struct_pattern type: [
  (identifier) @reference.type
  (scoped_identifier name: (identifier) @reference.type)])
(struct_item name: (type_identifier) @name)
(enum_item name: (type_identifier) @name)
(union_item name: (type_identifier) @name)
(trait_item name: (type_identifier) @name)
(type_item name: (type_identifier) @name)
(associated_type name: (type_identifier) @name)
(type_parameter name: (type_identifier) @name)
(impl_item !trait type: [
  (type_identifier) @name
  (scoped_type_identifier name: (type_identifier) @name)
  (generic_type type: [
    (type_identifier) @name
    (scoped_type_identifier name: (type_identifier) @name)])])

(impl_item trait: [
  (type_identifier) @reference.inherit
  (scoped_type_identifier name: (type_identifier) @reference.inherit)
  (generic_type type: [
    (type_identifier) @reference.inherit
    (scoped_type_identifier name: (type_identifier) @reference.inherit)])])
(trait_item bounds: (trait_bounds [
  (type_identifier) @reference.inherit
  (scoped_type_identifier name: (type_identifier) @reference.inherit)
  (generic_type type: [
    (type_identifier) @reference.inherit
    (scoped_type_identifier name: (type_identifier) @reference.inherit)])]))

(use_declaration argument: [
  (identifier) @reference.import
  (scoped_identifier name: (identifier) @reference.import)])
(use_list [
  (identifier) @reference.import
  (scoped_identifier name: (identifier) @reference.import)])
(use_as_clause path: [
  (identifier) @reference.import
  (scoped_identifier name: (identifier) @reference.import)])
(use_wildcard [
  (identifier) @reference.import
  (scoped_identifier name: (identifier) @reference.import)])
(scoped_use_list
  path: [
    (identifier) @reference.import
    (scoped_identifier name: (identifier) @reference.import)]
  list: (use_list . (self)))
(extern_crate_declaration name: (identifier) @reference.import)

; A function handed over by its name, and whatever is named by a path.
(arguments [
  (identifier) @reference.other
  (field_expression field: (field_identifier) @reference.other)
  (generic_function function: (identifier) @reference.other)])
(field_initializer value: (identifier) @reference.other)
(array_expression [
  (identifier) @reference.other
  (tuple_expression (identifier) @reference.other)])
(scoped_identifier name: (identifier) @reference.other)
(visibility_modifier (scoped_identifier name: (identifier) @name))

(source_file [
  (const_item name: (identifier) @definition.constant)
  (static_item name: (identifier) @definition.constant)])
(declaration_list [
  (const_item name: (identifier) @definition.constant)
  (static_item name: (identifier) @definition.constant)])
(enum_variant name: (identifier) @definition.constant)
(field_declaration name: (field_identifier) @definition.field)
