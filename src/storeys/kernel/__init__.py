"""What every rules kernel shares: records, chance, verbs, compiling, messages, checked input."""
