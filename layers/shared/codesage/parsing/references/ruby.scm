; Ruby: calls that are written as such, constants, what is required and mixed in, attributes.

(call method: [(identifier) (constant)] @reference.call)

(constant) @reference.type
(scope_resolution scope: [(constant) @name (scope_resolution name: (constant) @name)])
(class name: (constant) @name)
(class name: (scope_resolution name: (constant) @name))
(module name: (constant) @name)
(module name: (scope_resolution name: (constant) @name))
(assignment left: (constant) @name)
(assignment left: (scope_resolution name: (constant) @name))
(operator_assignment left: [(constant) @name (scope_resolution name: (constant) @name)])
(left_assignment_list (constant) @name)

(call arguments: (argument_list . (string) @reference.import .))
(call arguments: (argument_list . (simple_symbol) . (string) @reference.import .))

(superclass (constant) @reference.inherit)
(superclass (scope_resolution name: (constant) @reference.inherit))

; A method handed over by its name: `method(:total)`, `&:total`, `send(:total)`.
(argument_list . (simple_symbol) @reference.other)
(block_argument (simple_symbol) @reference.other)
(alias alias: (identifier) @reference.other)

(assignment left: (constant) @definition.constant)
(assignment left: (scope_resolution name: (constant) @definition.constant))
(operator_assignment
  left: [(constant) @definition.constant (scope_resolution name: (constant) @definition.constant)])
(left_assignment_list (constant) @definition.constant)
(program (assignment left: (global_variable) @definition.constant))
(assignment left: (constant) right: (call arguments: (argument_list (simple_symbol) @definition.field)))
(superclass (call arguments: (argument_list (simple_symbol) @definition.field)))

; What is said in the body of a class: `@@count = 0`, `include Priced`, `private attr_reader :price`.
(class body: (body_statement (assignment left: [(class_variable) (instance_variable)] @definition.field)))
(module body: (body_statement (assignment left: [(class_variable) (instance_variable)] @definition.field)))
(body_statement (call arguments: (argument_list [
  (constant) @reference.inherit
  (scope_resolution name: (constant) @reference.inherit)
  (simple_symbol) @definition.field
  (call arguments: (argument_list (simple_symbol) @definition.field))])))
(program (call arguments: (argument_list [
  (constant) @reference.inherit
  (scope_resolution name: (constant) @reference.inherit)])))
