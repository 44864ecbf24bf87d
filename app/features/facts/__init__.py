"""Facts: what pages say about opening hours and prices, told to who asks for it."""
