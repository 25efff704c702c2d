/** The picture as it would be drawn now, from the built product. */
export function draw(): string;
