"""Plans that split ops into shards for several devices, and into pipeline stages that overlap."""
