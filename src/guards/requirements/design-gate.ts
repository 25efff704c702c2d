/** The requirement that stands for a design which somebody has agreed to. */
export const DESIGN_GATE = 'design_approved';
