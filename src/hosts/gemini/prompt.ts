/** What hooks said at the start of the session stands before the first prompt; `<` and `>` in it are escaped. */
const CONTEXT = /^\s*<hook_context>[^<]*<\/hook_context>\s*/;
/** Files that a prompt mentions are copied behind it. */
const FILES = '--- Content from referenced files ---';

/** What was typed: without what hooks and files have added to it. */
export function typedText(prompt: string): string {
  let text = prompt;
  while (CONTEXT.test(text)) text = text.replace(CONTEXT, '');
  const files = text.indexOf(FILES);
  return files < 0 ? text : text.slice(0, files).trimEnd();
}
