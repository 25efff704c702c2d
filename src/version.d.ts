/** The package's version, put in by the build. */
declare const __VERSION__: string;
/** Tells one build's chunks from another's: compiled code that was stored for one must never serve another. */
declare const __BUILD__: string;
