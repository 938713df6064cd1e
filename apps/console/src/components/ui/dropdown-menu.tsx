'use client';

import { DropdownMenu as Radix } from 'radix-ui';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from '../../lib/cn.ts';

export interface DropdownMenuProps {
  trigger: ReactNode;
  align?: 'start' | 'center' | 'end';
  className?: string;
  children: ReactNode;
}

/** A menu of things to do or to go to. */
export function DropdownMenu({ trigger, align = 'end', className, children }: DropdownMenuProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={4}
          collisionPadding={8}
          className={cn(
            'z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 animate-fade overflow-y-auto rounded border border-line-strong/60 bg-surface p-1',
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

export function DropdownItem({
  danger,
  className,
  ...rest
}: ComponentProps<typeof Radix.Item> & { danger?: boolean }) {
  return (
    <Radix.Item
      className={cn(
        'flex min-h-8 cursor-pointer items-center gap-2 rounded px-2 py-1 text-body outline-none select-none data-[disabled]:pointer-events-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted',
        danger && 'text-deny-text [&_svg]:text-deny-text',
        className,
      )}
      {...rest}
    />
  );
}

export function DropdownLabel({ className, ...rest }: ComponentProps<typeof Radix.Label>) {
  return <Radix.Label className={cn('px-2 py-1 text-small text-muted', className)} {...rest} />;
}

export function DropdownSeparator() {
  return <Radix.Separator className="-mx-1 my-1 border-t" />;
}
