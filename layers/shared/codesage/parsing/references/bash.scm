; Bash: commands that may be functions, and the variables of a script.
; What an argument is, a file that `source` reads or a handler of `trap`, the table's `reference` knows.

(command name: (command_name . (word) @reference.call .))

; `source lib.sh`
(command name: (command_name) . argument: (_) @reference.import)

; `trap on_exit EXIT`: on the signal, as the first argument of any command may be a file.
(command name: (command_name) . argument: (word) . argument: (word) @reference.other)

(program (variable_assignment name: (variable_name) @definition.constant))
(list (variable_assignment name: (variable_name) @definition.constant))
(if_statement (variable_assignment name: (variable_name) @definition.constant))
(elif_clause (variable_assignment name: (variable_name) @definition.constant))
(else_clause (variable_assignment name: (variable_name) @definition.constant))
(case_item (variable_assignment name: (variable_name) @definition.constant))
(declaration_command (variable_assignment name: (variable_name) @definition.constant))
(declaration_command ["declare" "readonly" "typeset"] (variable_name) @definition.constant)
