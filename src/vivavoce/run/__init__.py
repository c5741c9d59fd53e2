"""How an exam happens: plan, hold each conversation, judge it, keep it."""
