/** The same chunk with object literals as assignments to an empty object. */
export function assignLiterals(code: string): string;
