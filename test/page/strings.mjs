// Texts of the page that stand in its code, and not in strings.ts or strings/: node strings.mjs TYPESCRIPT FOLDER prints each with its place.
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const [typescript, folder] = process.argv.slice(2);
const ts = createRequire(import.meta.url)(typescript);
const kShown = ['title', 'aria-label', 'label', 'placeholder', 'help', 'caption', 'alt', 'head', 'text', 'advice', 'empty'];

// Languages of their own: what is typed into a search, and schedules in words.
const kLanguages = ['jobs/grammars.ts', 'jobs/search.ts', 'series/cron.ts', 'series/words.ts'];

const isWords = (text) => /[A-Za-z]{2}/.test(text);
const isLiteral = (node) => node && (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node));
const textOf = (node) => (ts.isTemplateExpression(node) ? [node.head, ...node.templateSpans.map((each) => each.literal)].map((each) => each.text).join(' ') : node.text);

/** What is shown of an expression: all that it can become. */
function* literals(node) {
  if (!node) {
    return;
  }
  if (isLiteral(node)) {
    yield node;
  } else if (ts.isConditionalExpression(node)) {
    yield* literals(node.whenTrue);
    yield* literals(node.whenFalse);
  } else if (ts.isBinaryExpression(node)) {
    yield* literals(node.right);
  } else if (ts.isParenthesizedExpression(node)) {
    yield* literals(node.expression);
  }
}

function* shown(node) {
  if (ts.isJsxText(node) && isWords(node.text)) {
    yield [node, node.text.trim()];
  }
  const isShownName = (ts.isJsxAttribute(node) || ts.isPropertyAssignment(node)) && kShown.includes(node.name.getText());
  const isChild = ts.isJsxExpression(node) && !ts.isJsxAttribute(node.parent);
  const value = isShownName ? node.initializer : isChild ? node.expression : undefined;
  for (const found of literals(value && ts.isJsxExpression(value) ? value.expression : value)) {
    if (isWords(textOf(found))) {
      yield [found, textOf(found)];
    }
  }
  for (const child of node.getChildren()) {
    yield* shown(child);
  }
}

for (const name of readdirSync(folder, { recursive: true }).filter((each) => /\.tsx?$/.test(each) && !/^strings/.test(each) && !kLanguages.includes(each)).sort()) {
  const source = ts.createSourceFile(name, readFileSync(join(folder, name), 'utf8'), ts.ScriptTarget.Latest, true, name.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS);
  for (const [node, text] of shown(source)) {
    console.log(`${name}:${source.getLineAndCharacterOfPosition(node.getStart()).line + 1}: ${text}`);
  }
}
