# cmake -D OUT=file.c -D NAME=variable -D FILES=text[;text…] -P embed.cmake: makes a C file that holds the texts, one after
# another, as a string.
set(bytes "")
foreach(file IN LISTS FILES)
  file(READ ${file} text HEX)
  string(APPEND bytes "${text}")
endforeach()
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE ${OUT} "extern const char ${NAME}[];\nconst char ${NAME}[] = {\n${bytes}0};\n")
