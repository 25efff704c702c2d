import { endOfTag, searched } from './html-tags';
import { skipSpaces } from './lines';

/**
 * The block of HTML that the line begins at `first`, if it does: `markup` around text, which a blank line ends, or one
 * of which nothing is shown as text, as the pattern of the line that ends it. In a paragraph a lone tag begins none.
 */
export function openHtmlBlock(
  wide: string,
  first: number,
  inParagraph: boolean,
): RegExp | 'markup' | undefined {
  if (wide[first] !== '<') return undefined;
  const rest = wide.slice(first);
  const raw = rawBlocks().find(([start]) => start.test(rest));
  if (raw !== undefined) return raw[1];
  return isBlockTag(rest) || (!inParagraph && isLoneTag(rest)) ? 'markup' : undefined;
}

function isLoneTag(rest: string): boolean {
  const end = endOfTag(searched(rest), 0);
  return end > 0 && skipSpaces(rest, end) >= rest.length;
}

function rawBlocks(): readonly (readonly [start: RegExp, end: RegExp])[] {
  return [
    [/^<(?:script|pre|textarea|style)(?=[ >]|$)/i, /<\/(?:script|pre|textarea|style)>/i],
    [/^<!--/, /-->/],
    [/^<\?/, /\?>/],
    [/^<![a-z]/i, />/],
    [/^<!\[CDATA\[/, /\]\]>/],
  ];
}

function isBlockTag(rest: string): boolean {
  return /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?= |\/?>|$)/i.test(
    rest,
  );
}
