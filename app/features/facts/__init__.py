"""Facts: what pages say about opening hours, prices, contacts and what to bring, told to who asks for it."""
