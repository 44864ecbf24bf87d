"""Facts: what pages say about opening hours, told for the day that is asked for."""
