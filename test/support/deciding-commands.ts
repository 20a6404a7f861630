/**
 * Commands that decide what may run, what is granted or who may call. A template is read with a placeholder for each value.
 */
export const deciding =
  /ambit (?:skills (?:approve|restore|deps \S+ --add|propose \S+ --write)|trust\b|grant\b|key create|console(?! revoke| sessions))/;
