import { type ClassValue, clsx } from 'clsx';
import { extendTailwindMerge } from 'tailwind-merge';

// Our own size names would otherwise be taken for text colours.
const merge = extendTailwindMerge({
  extend: { classGroups: { 'font-size': [{ text: ['small', 'body', 'title', 'display'] }] } },
});

/** Joins class names; of two that set the same property the later one wins. */
export function cn(...classes: ClassValue[]): string {
  return merge(clsx(classes));
}
