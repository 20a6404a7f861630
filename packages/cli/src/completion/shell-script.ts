/** The shells that `ambit completion` supports. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** The hidden command that these scripts call. */
export const completeCommand = '__complete';

/**
 * The completion script of each shell. At each press of Tab it calls the `ambit` that is typed, so it always matches that
 * version. Its stderr is discarded.
 */
export const shellScripts: Record<Shell, string> = {
  bash: `# ambit completion bash: in ~/.bashrc, source <(ambit completion bash)
_ambit() {
  COMPREPLY=()
  compopt +o default 2>/dev/null
  local line adds=
  while IFS= read -r line; do
    if [[ -z $adds ]]; then adds=$line; else COMPREPLY+=("$line"); fi
  done < <("\${COMP_WORDS[0]/#\\~/$HOME}" ${completeCommand} bash --breaks "$COMP_WORDBREAKS" -- "\${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
  case $adds in
    files) compopt -o default 2>/dev/null ;;
    folders) compopt -o dirnames 2>/dev/null ;;
  esac
  [[ \${#COMPREPLY[@]} -ne 1 || \${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null
}
complete -o nosort -F _ambit ambit
`,
  zsh: `#compdef ambit
# ambit completion zsh: in ~/.zshrc after compinit, source <(ambit completion zsh); or as _ambit in a folder of $fpath
_ambit() {
  local line adds
  local -a lines values shown
  lines=("\${(@f)$("\${(Q)words[1]/#\\~/$HOME}" ${completeCommand} zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  adds=\${lines[1]}
  for line in "\${(@)lines[2,-1]}"; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  (( $#values )) && compadd -l -d shown -a values
  case $adds in
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [[ \${funcstack[1]} == _ambit ]]; then _ambit "$@"; else compdef _ambit ambit; fi
`,
  fish: `# ambit completion fish: ambit completion fish > ~/.config/fish/completions/ambit.fish
function __ambit_complete
    set -l words (commandline -opc)
    set -l program (string replace -r '^~' $HOME -- $words[1])
    set -l current (commandline -ct)
    set -l lines ($program ${completeCommand} fish -- $words[2..-1] "$current" 2>/dev/null)
    switch "$lines[1]"
        case files
            __fish_complete_path $current
        case folders
            __fish_complete_directories $current ''
    end
    string join -- \\n $lines[2..-1]
end
complete -c ambit -f -a '(__ambit_complete)'
`,
};
