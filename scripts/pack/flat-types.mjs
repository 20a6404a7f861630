import ts from 'typescript';

/**
 * Writes out the type aliases of a package. Its declarations then need no package that they are derived from, and an editor
 * shows fields instead of derivations. A field has the comment of its declaration, or the description of its schema.
 * @param {ts.Program} program
 * @param {readonly ts.SourceFile[]} files the package
 * @returns {(alias: ts.TypeAliasDeclaration) => { text: string, uses: ReadonlySet<Named> } | undefined} the flat type of an
 *   alias, and the declarations of the package that it names; `undefined` if it depends on its type parameters, or is flat
 */
export function flatTypes(program, files) {
  const checker = program.getTypeChecker();
  const names = namedTypes(checker, files);

  return (alias) => {
    /** @type {Set<Named>} */
    const uses = new Set();
    const type = checker.getTypeAtLocation(alias.name);
    // A type that names no other is flat, and the comments in it stay.
    if ((type.flags & ts.TypeFlags.Instantiable) !== 0 || !namesTypes(alias.type)) return undefined;
    return { text: shapeOf(type, ''), uses };

    /**
     * A type by its name if the package has one for it.
     * @param {ts.Type} type
     * @param {string} indent
     * @returns {string}
     */
    function textOf(type, indent) {
      const own = names.get(type) ?? (type.aliasSymbol ?? type.symbol)?.declarations?.find(isNamed);
      if (own === undefined || own === alias || !files.includes(own.getSourceFile()))
        return shapeOf(type, indent);
      uses.add(own);
      const args = (type.aliasTypeArguments ?? []).map((each) => textOf(each, indent));
      // Every type parameter of the package is `unknown` by default.
      return args.every((each) => each === 'unknown')
        ? own.name.text
        : `${own.name.text}<${args.join(', ')}>`;
    }

    /**
     * @param {ts.Type} type
     * @param {string} indent
     * @returns {string}
     */
    function shapeOf(type, indent) {
      if (type.isUnion()) return unionOf(type.types, indent);
      if (checker.isArrayType(type)) {
        const [item = type] = checker.getTypeArguments(/** @type {ts.TypeReference} */ (type));
        const text = textOf(item, indent);
        const list = item.isUnion() && text.includes(' | ') ? `(${text})[]` : `${text}[]`;
        return type.symbol.name === 'ReadonlyArray' ? `readonly ${list}` : list;
      }
      const isOthers = type.symbol?.declarations?.some(ts.isInterfaceDeclaration) ?? false;
      if (isOthers || !(type.isIntersection() || (type.flags & ts.TypeFlags.Object) !== 0))
        return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
      const inner = `${indent}  `;
      const lines = [
        ...checker.getPropertiesOfType(type).map((property) => fieldOf(property, inner)),
        ...checker
          .getIndexInfosOfType(type)
          .map((each) => `[name: ${textOf(each.keyType, inner)}]: ${textOf(each.type, inner)};`),
      ];
      return lines.length === 0 ? '{}' : `{\n${lines.map((line) => `${inner}${line}\n`).join('')}${indent}}`;
    }

    /**
     * @param {readonly ts.Type[]} types
     * @param {string} indent
     */
    function unionOf(types, indent) {
      const texts = types.map((each) => textOf(each, indent));
      const isBoolean = texts.includes('true') && texts.includes('false');
      const rest = texts.filter((text) => !isBoolean || (text !== 'true' && text !== 'false'));
      const all = isBoolean ? ['boolean', ...rest] : rest;
      const last = ['null', 'undefined'];
      return [
        ...all.filter((text) => !last.includes(text)),
        ...last.filter((text) => all.includes(text)),
      ].join(' | ');
    }

    /**
     * @param {ts.Symbol} property
     * @param {string} indent
     */
    function fieldOf(property, indent) {
      const type = checker.getTypeOfSymbol(property);
      const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
      const text =
        isOptional && type.isUnion() ? unionOf(type.types.filter(isPresent), indent) : textOf(type, indent);
      const name = /^[A-Za-z_$][\w$]*$/.test(property.name) ? property.name : JSON.stringify(property.name);
      const about = aboutOf(checker, property)
        .replaceAll('*/', '*\\/')
        .replaceAll(/\s*\n\s*/g, ' ');
      const field = `${name}${isOptional ? '?' : ''}: ${text};`;
      return about === '' ? field : `/** ${about} */\n${indent}${field}`;
    }

    /**
     * An optional field has a type for its absence, which is not `undefined`.
     * @param {ts.Type} type
     */
    function isPresent(type) {
      return (type.flags & ts.TypeFlags.Undefined) === 0 || type === checker.getUndefinedType();
    }
  };
}

/**
 * Whether a written type refers to another type.
 * @param {ts.Node} node
 * @returns {boolean}
 */
function namesTypes(node) {
  return ts.isTypeReferenceNode(node) || (ts.forEachChild(node, namesTypes) ?? false);
}

/** @typedef {ts.TypeAliasDeclaration | ts.InterfaceDeclaration | ts.ClassDeclaration & { name: ts.Identifier }} Named */

/**
 * The exported aliases by their type. Aliases with type parameters are found by the compiler itself.
 * @param {ts.TypeChecker} checker
 * @param {readonly ts.SourceFile[]} files
 */
function namedTypes(checker, files) {
  /** @type {Map<ts.Type, Named>} */
  const names = new Map();
  for (const statement of files.flatMap((file) => file.statements)) {
    if (!ts.isTypeAliasDeclaration(statement) || statement.typeParameters !== undefined) continue;
    const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) ?? false;
    const type = checker.getTypeAtLocation(statement.name);
    const isShape = (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Union)) !== 0;
    if (isExported && isShape && !names.has(type)) names.set(type, statement);
  }
  return names;
}

/**
 * @param {ts.Declaration} declaration
 * @returns {declaration is Named}
 */
function isNamed(declaration) {
  return (
    ts.isTypeAliasDeclaration(declaration) ||
    ts.isInterfaceDeclaration(declaration) ||
    (ts.isClassDeclaration(declaration) && declaration.name !== undefined)
  );
}

/**
 * The comment of a field, or the description of its schema.
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol} property
 */
function aboutOf(checker, property) {
  const comment = ts.displayPartsToString(property.getDocumentationComment(checker));
  if (comment !== '') return comment;
  const [declaration] = property.declarations ?? [];
  return declaration === undefined ? '' : describedBy(checker, declaration);
}

/**
 * The text of the last `.describe('…')` in the value of a declaration. A variable there is followed to its value.
 * @param {ts.TypeChecker} checker
 * @param {ts.Node} declaration
 * @returns {string}
 */
function describedBy(checker, declaration) {
  if (ts.isShorthandPropertyAssignment(declaration))
    return describedAt(checker, checker.getShorthandAssignmentValueSymbol(declaration));
  const isValued = ts.isPropertyAssignment(declaration) || ts.isVariableDeclaration(declaration);
  let value = isValued ? declaration.initializer : undefined;
  while (
    value !== undefined &&
    ts.isCallExpression(value) &&
    ts.isPropertyAccessExpression(value.expression)
  ) {
    const [text] = value.arguments;
    if (value.expression.name.text === 'describe' && text !== undefined && ts.isStringLiteralLike(text))
      return text.text;
    value = value.expression.expression;
  }
  return value !== undefined && ts.isIdentifier(value)
    ? describedAt(checker, checker.getSymbolAtLocation(value))
    : '';
}

/**
 * @param {ts.TypeChecker} checker
 * @param {ts.Symbol | undefined} symbol
 */
function describedAt(checker, symbol) {
  if (symbol === undefined) return '';
  const target = (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
  return target.valueDeclaration === undefined ? '' : describedBy(checker, target.valueDeclaration);
}
