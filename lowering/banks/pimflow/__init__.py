"""PIMFlow's published bank programs: the commands of its code generator for a layer, one for one."""
