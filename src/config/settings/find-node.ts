import { findNodeAtLocation, type Node } from 'jsonc-parser';

/** The way to a place in a document: names of members and indexes of lists. */
export type Path = readonly (string | number)[];

/** The value at a path, if there is one. */
export function nodeAt(root: Node | undefined, path: Path): Node | undefined {
  return root === undefined ? undefined : findNodeAtLocation(root, [...path]);
}

/** What has to be cut for a value to be gone: the value in a list, the whole member in an object. */
export function childOf(node: Node): Node {
  return node.parent?.type === 'property' ? node.parent : node;
}

export function endOf(node: Node): number {
  return node.offset + node.length;
}
