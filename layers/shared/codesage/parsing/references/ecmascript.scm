; What JavaScript and TypeScript have in common: calls, imports, handed over functions, module variables.

(call_expression function: (identifier) @reference.call)
(call_expression
  function: (member_expression property: [(property_identifier) (private_property_identifier)] @reference.call))
(call_expression function: (parenthesized_expression (identifier) @reference.call))
(call_expression
  function: (parenthesized_expression (member_expression property: (property_identifier) @reference.call)))
(new_expression constructor: (identifier) @reference.call)
(new_expression constructor: (member_expression property: (property_identifier) @reference.call))
(decorator (identifier) @reference.call)
(decorator (member_expression property: (property_identifier) @reference.call))

(binary_expression operator: "instanceof" right: (identifier) @reference.type)
(binary_expression operator: "instanceof" right: (member_expression property: (property_identifier) @reference.type))

(import_specifier name: (identifier) @reference.import)
(import_clause (identifier) @reference.import)
(import_statement source: (string) @reference.import)
(export_statement source: (string) @reference.import)
(export_statement (export_clause (export_specifier name: (identifier) @reference.import)) source: (string))
(call_expression function: (import) arguments: (arguments . (string) @reference.import))

; What `require` gives; of other calls that look like it, `javascript_names` takes nothing.
(call_expression function: (identifier) arguments: (arguments . (string) @reference.import .))
(variable_declarator
  name: (object_pattern [
    (shorthand_property_identifier_pattern)
    (object_assignment_pattern)
    (pair_pattern key: (property_identifier))] @reference.import)
  value: [
    (call_expression function: (identifier) arguments: (arguments . (string) .))
    (await_expression (call_expression function: (import)))])

; A function handed over by its name: as an argument, in a table or list of handlers, to whoever imports it.
(arguments (identifier) @reference.other)
(arguments (member_expression property: (property_identifier) @reference.other))
(pair value: (identifier) @reference.other)
(pair value: (member_expression property: (property_identifier) @reference.other))
(shorthand_property_identifier) @reference.other
(array (identifier) @reference.other)
(array (member_expression property: (property_identifier) @reference.other))
(assignment_expression
  left: (member_expression object: [(identifier) (member_expression)]) right: (identifier) @reference.other)
(export_clause (export_specifier name: (identifier) @reference.other))
(export_statement value: (identifier) @reference.other)

; Variables of the module. Those of a closure at its top stand in a block, and only a module's are exported.

(program (_ (variable_declarator name: (identifier) @definition.constant)))
(export_statement declaration: (_ (variable_declarator name: (identifier) @definition.constant)))
(export_statement declaration: (_ (variable_declarator name: (object_pattern [
  (shorthand_property_identifier_pattern) @definition.constant
  (pair_pattern value: (identifier) @definition.constant)]))))
